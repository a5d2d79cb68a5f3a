/**
 * Verifies what the Sitewire service sends to partners.
 *
 * <p>{@link com.sitewire.SitewireHttpHandler} and {@link com.sitewire.SitewireServlet} are whole receivers of
 * {@code site.ready} deliveries. {@link com.sitewire.Sitewire} has the same check for every other framework.
 */
package com.sitewire;
