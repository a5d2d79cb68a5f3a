import { call } from "../derive/call.ts"
import { block } from "../output/block.ts"

export const signIn = call("sign-in", "createSignInLink", {
  description: "print a link that signs in to the web console once, with the rights of the API key",
  notes:
    "Whoever opens the link first is signed in, so do not share it. It is valid for 10 minutes. For somebody else, use a\n" +
    "key with that person's scopes.",
  examples: ["sitewire sign-in", "sitewire sign-in --profile production"],
  print: ({ url, expires_at }, style) =>
    block(style, [
      ["link", url],
      ["expires", style.time(expires_at)],
    ]),
})
