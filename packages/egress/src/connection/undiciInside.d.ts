// Internal modules of undici, which have no types. Its index would also load fetch, WebSocket and a cache: 5
// MB per process.

declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici"
}

declare module "undici/lib/core/errors.js" {
  export { errors as default } from "undici"
}

declare module "undici/lib/core/symbols.js" {
  /** The key of a socket's parser. */
  const symbols: { readonly kParser: unique symbol }
  export default symbols
}
