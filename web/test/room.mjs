// A storage as browsers have it, in memory.

/** A storage with room for so many characters. */
export class Room {
  items = new Map();
  room = Infinity;
  /** Called with what is removed. */
  removed = () => {};

  get length() {
    return this.items.size;
  }

  get size() {
    return [...this.items].reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  }

  key(at) {
    return [...this.items.keys()][at] ?? null;
  }

  getItem(key) {
    return this.items.get(key) ?? null;
  }

  setItem(key, value) {
    const before = this.items.get(key);
    const size = this.size - (before === undefined ? 0 : key.length + before.length) + key.length + value.length;
    if (size > this.room && size > this.size) throw new Error("full");
    this.items.set(key, value);
  }

  removeItem(key) {
    this.removed(key, this.items.get(key) ?? "");
    this.items.delete(key);
  }
}
