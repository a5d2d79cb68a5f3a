/**
 * The address that a partner calls when its data changed. With `origin` (a local stack, or a gateway that is not
 * reached under the sites' own hosts) instead of `https://<site>`.
 */
export function triggerAddress(connection: {
  id: string
  site: string
  token: string
  origin: string | undefined
}) {
  const { id, site, token, origin = `https://${site}` } = connection
  return `${origin}/connectors/hook/${id}/${token}/`
}
