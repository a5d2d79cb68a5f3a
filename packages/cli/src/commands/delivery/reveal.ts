import { call } from "../../derive/call.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"

export const revealDelivery = call("delivery reveal", "revealDelivery", {
  description:
    "print a delivery's body exactly as it is sent; it contains personal data, and this is audited",
  argument: deliveryArgument,
  findId: wholeId,
  examples: [
    "sitewire delivery reveal 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
    "sitewire delivery reveal 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --json | jq -rj .body | sha256sum",
  ],
  print: ({ body }) => body,
})
