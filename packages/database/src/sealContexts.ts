/** The contexts that sealed values are bound to, in one place: sealing and opening must name the same. */
export const sealContexts = {
  signingSecret: (channel: string, secretId: string) => `channel:${channel}:secret:${secretId}`,
  connectionToken: (connection: string) => `connection:${connection}:token`,
}
