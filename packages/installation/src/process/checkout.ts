import { fileURLToPath } from "node:url"
import { nodeArguments, nodeEnvironment } from "./nodeArguments.ts"

/** A checkout of this repository, and how its images start Node. */
export type Checkout = {
  root: string
  nodeArguments(main: string): string[]
  nodeEnvironment: Record<string, string>
}

export const ownCheckout: Checkout = {
  root: fileURLToPath(new URL("../../../../", import.meta.url)),
  nodeArguments,
  nodeEnvironment,
}
