export const sealContexts = {
  signingSecret: (channel: string, secretId: string) => `channel:${channel}:secret:${secretId}`,
  connectionToken: (connection: string) => `connection:${connection}:token`,
  response: (apiKey: string, idempotencyKey: string) => `response:${apiKey}:${idempotencyKey}`,
  digestKey: (id: string) => `digest-key:${id}`,
  openIdSignIn: "open-id-sign-in",
}
