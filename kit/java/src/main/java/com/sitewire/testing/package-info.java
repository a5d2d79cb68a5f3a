/** Makes {@code site.ready} deliveries as Sitewire sends them, for the tests of a receiver. */
package com.sitewire.testing;
