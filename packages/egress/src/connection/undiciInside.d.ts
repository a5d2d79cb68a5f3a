// The modules of undici that `connectionPool.ts` imports, without types of their own. The package's index also loads fetch,
// WebSocket and a cache: 5 MB per process.

declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici"
}

declare module "undici/lib/core/errors.js" {
  export { errors as default } from "undici"
}
