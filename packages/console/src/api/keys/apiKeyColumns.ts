import { apiKeySchema } from "@sitewire/contracts"
import { columnsOf } from "../responseOf.ts"

/** Not the hash of the key. */
export const apiKeyColumns = columnsOf(apiKeySchema)
