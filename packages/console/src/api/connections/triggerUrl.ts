/** The URL that a partner calls when its data has changed. `origin`, if set, replaces `https://<site>`. */
export function triggerUrl(connection: {
  id: string
  site: string
  token: string
  origin: string | undefined
}) {
  const { id, site, token, origin = `https://${site}` } = connection
  return `${origin}/connectors/hook/${id}/${token}/`
}
