// The libraries of vendor.json, by the names under which the console loads them.
declare module '*/vendor/preact.js' {
  export * from 'preact';
}
declare module '*/vendor/hooks.js' {
  export * from 'preact/hooks';
}
declare module '*/vendor/htm.js' {
  import type { VNode, h } from 'preact';
  const htm: { bind(create: typeof h): (strings: TemplateStringsArray, ...values: unknown[]) => VNode };
  export default htm;
}
