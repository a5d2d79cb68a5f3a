export const channelSecret = "a secret of the bench"
