import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

export default defineConfig({
  plugins: [react()],
  build: {
    // The policy of the page allows no inline content, and no data: URLs but images.
    assetsInlineLimit: 0,
    // The size of the first view is checked by test/sessions.extended.test.ts.
    chunkSizeWarningLimit: 1_000,
  },
})
