import { fileURLToPath } from "node:url"

/** The build of packages/web. The console does not import it, because the management API works without it. */
export const defaultPageFolder = fileURLToPath(new URL("../../../web/dist", import.meta.url))
