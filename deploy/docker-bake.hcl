# Builds the five images, from the repository's root: docker buildx bake -f deploy/docker-bake.hcl. docs/operators/images.md explains the variables.

# The base images are pinned in deploy/Dockerfile. A value here replaces one, such as by a copy in another registry.
variable "NODE_IMAGE" { default = null }
variable "RUNTIME_IMAGE" { default = null }

variable "REGISTRY" { default = "sitewire" }
variable "VERSION" { default = "0.1.0" }

# For the labels: the commit, the repository's address, and the commit's time in seconds since 1970.
variable "REVISION" { default = "" }
variable "SOURCE" { default = "" }
variable "SOURCE_DATE_EPOCH" { default = "0" }

# Files on the machine that builds: an .npmrc with a registry and its token, and certificates in PEM.
variable "NPMRC" { default = "" }
variable "CA" { default = "" }

# Replaces BuildKit's image that lists the packages of an image.
variable "SBOM_GENERATOR" { default = "" }

group "default" {
  targets = ["images"]
}

target "images" {
  matrix = {
    process = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console", "setup"]
  }
  name       = process
  context    = "."
  dockerfile = "deploy/Dockerfile"
  target     = process
  tags       = ["${REGISTRY}/${process}:${VERSION}"]
  platforms  = ["linux/amd64", "linux/arm64"]
  args = {
    NODE_IMAGE        = NODE_IMAGE
    RUNTIME_IMAGE     = RUNTIME_IMAGE
    VERSION           = VERSION
    REVISION          = REVISION
    SOURCE            = SOURCE
    CREATED           = timeadd("1970-01-01T00:00:00Z", "${SOURCE_DATE_EPOCH}s")
    SOURCE_DATE_EPOCH = SOURCE_DATE_EPOCH
  }
  secret = concat(
    NPMRC != "" ? ["id=npmrc,src=${NPMRC}"] : [],
    CA != "" ? ["id=ca,src=${CA}"] : [],
  )
  attest = [
    SBOM_GENERATOR != "" ? "type=sbom,generator=${SBOM_GENERATOR}" : "type=sbom",
    "type=provenance,mode=max",
  ]
}
