// In an application, a table. Next can load a module once for each route, so the map belongs to the process.
globalThis.sites ??= new Map()
export const sites = globalThis.sites

// The key is site_url: a repetition changes nothing, and a correction replaces. A late retry of what was corrected has a smaller
// delivery id, and is ignored.
export function store({ site_url, name, delivery }) {
  if (delivery < (sites.get(site_url)?.delivery ?? "")) return
  sites.set(site_url, { site_url, name, delivery })
}
