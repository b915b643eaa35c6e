import json, sys

items = []
for i in range(120000):
    item = {"id": i, "name": "item number " + str(i), "price": i / 8.0, "tags": ["red", "green", "a \"quoted\" one"]}
    items.append(item)
for r in range(int(sys.argv[1])):
    text = json.dumps(items, separators=(",", ":"))
    print(len(text))
