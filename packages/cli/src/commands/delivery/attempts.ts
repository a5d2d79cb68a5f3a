import { call } from "../../derive/call.ts"
import { attemptTable } from "./attemptTable.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"

export const listAttempts = call("delivery attempts", "listAttempts", {
  description: "list the attempts of a delivery, newest first",
  argument: deliveryArgument,
  findId: wholeId,
  examples: ["sitewire delivery attempts 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --all"],
  none: "No attempts.",
  print: ({ data }, style) => attemptTable(style, data),
})
