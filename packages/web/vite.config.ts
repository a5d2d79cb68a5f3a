import { type Route, routes } from "@sitewire/contracts/routes"
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

/** The page needs no schemas of the routes, which would add zod to it. It names those that are audited, and the filters of lists. */
const routesWithoutSchemas: Plugin = {
  name: "routes-without-schemas",
  enforce: "pre",
  resolveId: (id) => (id === "@sitewire/contracts/routes" ? `\0${id}` : null),
  load(id) {
    if (id !== "\0@sitewire/contracts/routes") return null
    const table = Object.entries<Route>(routes).map(([name, { method, path, summary, reveals, query }]) => [
      name,
      {
        ...{ method, path, ...((method !== "get" || reveals) && { summary }) },
        ...(query && {
          query: { shape: Object.fromEntries(Object.keys(query.shape).map((each) => [each, 0])) },
        }),
      },
    ])
    return `export const routes = ${JSON.stringify(Object.fromEntries(table))}`
  },
}

export default defineConfig({
  plugins: [routesWithoutSchemas, react()],
  build: {
    // The policy of the page allows no inline content, and no data: URLs but images.
    assetsInlineLimit: 0,
    // The size of the first view is checked by test/sessions.extended.test.ts.
    chunkSizeWarningLimit: 1_000,
  },
})
