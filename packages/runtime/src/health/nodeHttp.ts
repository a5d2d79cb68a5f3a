/**
 * Node's `http`. An `import` of it reads all that it exports, `WebSocket` among it, for which Node loads a `fetch` of its own:
 * 5 MB of a process that calls neither.
 */
export const nodeHttp = process.getBuiltinModule("node:http")
