export const signInTexts = {
  signIn: {
    title: "Sign in",
    intro: "To the console of Sitewire.",
    key: "API key",
    keyHint: "The scopes of the key determine what you see and may do.",
    showKey: "Show the key",
    submit: "Sign in",
    failed: "You are not signed in",
    linkTitle: (name: string) => `This link signs in as ${name}`,
    linkMore: (scopes: string[]) =>
      `Scopes: ${scopes.join(", ")}. Continue only if you expected this link: what you do will be done under this name.`,
    linkReplaces: (name: string) =>
      `You are signed in as ${name}. That session will be replaced in this browser.`,
    linkSubmit: (name: string) => `Sign in as ${name}`,
    linkCancel: "Do not use the link",
    linkFailed: "The sign-in link did not work. It can be used once, and only for a short time",
    endedTitle: "Your session has ended",
    ended: "Sign in again to continue where you were.",
    or: "or",
    oidc: "Sign in with your organisation",
    noKey: "No key? Ask an operator for one.",
    api: "About the API",
  },
} as const
