/**
 * Node's `http` without an `import`, which would evaluate every export. For its export `WebSocket`, Node
 * loads `fetch`, which takes 5 MB of memory even in a process that uses neither.
 */
export const nodeHttp = process.getBuiltinModule("node:http")
