using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;

// Stand-ins for the types of ASP.NET Core that AspNetCoreReceiver uses, because ASP.NET Core cannot be had with Mono.
namespace Microsoft.Extensions.Primitives
{
    public struct StringValues : IEnumerable<string>
    {
        private readonly string[] values;

        public StringValues(params string[] values)
        {
            this.values = values;
        }

        public static implicit operator StringValues(string value)
        {
            return new StringValues(value);
        }

        public IEnumerator<string> GetEnumerator()
        {
            return values.AsEnumerable().GetEnumerator();
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            return GetEnumerator();
        }
    }
}

namespace Microsoft.AspNetCore.Http
{
    using Microsoft.Extensions.Primitives;

    public interface IHeaderDictionary : IDictionary<string, StringValues>
    {
    }

    public abstract class HttpRequest
    {
        public abstract Stream Body { get; set; }

        public abstract IHeaderDictionary Headers { get; }
    }

    public abstract class HttpResponse
    {
        public abstract int StatusCode { get; set; }

        public abstract string ContentType { get; set; }

        public abstract IHeaderDictionary Headers { get; }

        public abstract Stream Body { get; set; }
    }

    public abstract class HttpContext
    {
        public abstract HttpRequest Request { get; }

        public abstract HttpResponse Response { get; }
    }
}
