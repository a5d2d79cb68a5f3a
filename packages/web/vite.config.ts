import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

export default defineConfig({
  plugins: [react()],
  build: {
    // The policy of the page allows no inline content, and no data: URLs but images.
    assetsInlineLimit: 0,
    // The size budget is checked on the compressed files of the first view (test/size.test.ts).
    chunkSizeWarningLimit: 1_000,
  },
})
