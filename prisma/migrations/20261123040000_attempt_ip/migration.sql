-- An "address" is a URL that Sitewire calls. This column contains the IP address that was called.
ALTER TABLE "attempt" RENAME COLUMN "address" TO "ip";
