using System;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks;

namespace Sitewire.Tests
{
    /// <summary>An HTTP server on a free port, until it is disposed.</summary>
    internal sealed class LocalServer : IDisposable
    {
        private readonly HttpListener listener = new HttpListener();
        private readonly TaskCompletionSource<Exception> firstError = new TaskCompletionSource<Exception>();

        internal LocalServer(Func<HttpListenerContext, Task> respond)
        {
            var free = new TcpListener(IPAddress.Loopback, 0);
            free.Start();
            Url = "http://127.0.0.1:" + ((IPEndPoint)free.LocalEndpoint).Port + "/";
            free.Stop();
            listener.Prefixes.Add(Url);
            listener.Start();
            Task.Run(async () =>
            {
                while (true)
                {
                    var context = await listener.GetContextAsync();
                    try
                    {
                        await respond(context);
                    }
                    catch (Exception error)
                    {
                        firstError.TrySetResult(error);
                    }
                }
            });
        }

        internal string Url { get; }

        internal Task<Exception> FirstError => firstError.Task;

        public void Dispose()
        {
            listener.Close();
        }
    }
}
