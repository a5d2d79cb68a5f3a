// The parts of undici that `pool.ts` needs, by their files, which have no types of their own. The package's index loads a
// fetch, a WebSocket and a cache with them: 5 MB in each process.

declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici"
}

declare module "undici/lib/core/errors.js" {
  export { errors as default } from "undici"
}
