using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Sitewire.Tests")]
