import { fields, sessionView } from "@sitewire/contracts/views"
import type { CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"

const options = {
  owner: "only those of this API key or user; current: those of the key that this command uses",
}

export const session: CommandGroup = {
  name: "session",
  description: "sessions of the web console",
  commands: [
    call("session list", "listSessions", {
      options,
      description: "list who is signed in to the web console, newest first",
      examples: ["sitewire session list", "sitewire session list --owner key_8c1f0e --json"],
      none: "No sessions.",
      print: sessionView,
    }),
    call("session end", "endSessions", {
      argument: ["[session]", "the session's id; without it, all, or those of --owner"],
      options,
      description: "end one session of the web console, or all that this command's key may end",
      notes: "Keys remain valid: whoever has one can sign in again. To prevent that, revoke the key.",
      examples: ["sitewire session end ses_8c1f0e", "sitewire session end --owner usr_0f3a --yes"],
      instead: (id) => (id === undefined ? undefined : "endSession"),
      confirm: (_, { id, owner }) =>
        id === undefined ? `End all sessions${owner ? ` of ${owner}` : ""}?` : `End the session ${id}?`,
      print: ({ ended }) => `${ended} ended.`,
    }),
  ],
}

export const signIn = call("sign-in", "createSignInLink", {
  description: "print a link that signs in to the web console once, with the rights of the API key",
  notes:
    "Whoever opens the link first is signed in, so do not share it. It is valid for 10 minutes. For somebody else, use a\n" +
    "key with that person's scopes.",
  examples: ["sitewire sign-in", "sitewire sign-in --profile production"],
  print: { facts: fields(["url", { label: "link" }], "expires_at") },
})
