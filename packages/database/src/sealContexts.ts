/** What a sealed value is for, and the row that it belongs to. Each purpose, the text before the first colon, has a key of its own. */
export const sealContexts = {
  signingSecret: (channel: string, secretId: string) => `channel-secret:${channel}:${secretId}`,
  receiverHeaders: (channel: string) => `channel-headers:${channel}`,
  connectionToken: (connection: string) => `connection-token:${connection}`,
  connectionSecret: (connection: string) => `connection-secret:${connection}`,
  sourceHeaders: (connection: string) => `connection-headers:${connection}`,
  digestKey: (id: string) => `digest-key:${id}`,
  openIdSignIn: "open-id-sign-in",
}
