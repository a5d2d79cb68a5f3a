/**
 * Node's `http`, without an `import`. An import evaluates every export, also `WebSocket`, for which Node loads its `fetch`:
 * 5 MB in a process that uses neither.
 */
export const nodeHttp = process.getBuiltinModule("node:http")
