// In an application, a table. The key is site_url: a repetition changes nothing, a correction replaces. Next can load a module once
// for each route, so the map belongs to the process.
globalThis.sites ??= new Map()
export const sites = globalThis.sites
