import { fileURLToPath } from "node:url"
import { nodeArguments, nodeEnvironment } from "./nodeArguments.ts"

/** A checkout of this repository, with the Node arguments and variables that its container images use. */
export type Checkout = {
  root: string
  nodeArguments(main: string): string[]
  nodeEnvironment: Record<string, string>
}

export const ownCheckout: Checkout = {
  root: fileURLToPath(new URL("../../../../../", import.meta.url)),
  nodeArguments,
  nodeEnvironment,
}
