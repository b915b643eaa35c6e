// Programs are bundled as texts.
declare module "*.ez" {
  const text: string;
  export default text;
}
