import { z } from "zod"
import { readSealingKeys } from "./seal.ts"

/** Only for processes that need signing secrets or show tokens. */
export const sealingVariables = {
  SEALING_KEYS: z
    .string()
    .transform((text, context) => {
      try {
        return readSealingKeys(text)
      } catch (error) {
        context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) })
        return z.NEVER
      }
    })
    .meta({
      description:
        "Keys for sealed values: id:base64 pairs separated by commas, each of 32 bytes, the sealing one first.",
      secret: true,
    }),
}
