using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading.Tasks;
using Sitewire;

static class Program
{
    // One entry for each site: a repetition changes nothing, and a correction replaces it. In production, this is a table with
    // the URL as its primary key.
    private static readonly ConcurrentDictionary<string, SiteReady> Sites = new ConcurrentDictionary<string, SiteReady>();

    private static int Main()
    {
        HttpListenerReceiver receiver;
        try
        {
            var secrets = (Environment.GetEnvironmentVariable("SITEWIRE_SECRETS") ?? "").Split(',');
            var scheme = Schemes.Parse(Environment.GetEnvironmentVariable("SITEWIRE_SCHEME") ?? "sitewire");
            receiver = new HttpListenerReceiver(secrets, StoreAsync, new WebhookOptions { Scheme = scheme });
        }
        catch (ArgumentException error)
        {
            Console.Error.WriteLine(error.Message + " See SITEWIRE_SECRETS and SITEWIRE_SCHEME.");
            return 1;
        }
        var listener = new HttpListener();
        listener.Prefixes.Add("http://127.0.0.1:" + Environment.GetEnvironmentVariable("PORT") + "/");
        listener.Start();
        while (true)
        {
            var context = listener.GetContext();
            Task.Run(() => RespondAsync(context, receiver));
        }
    }

    private static async Task RespondAsync(HttpListenerContext context, HttpListenerReceiver receiver)
    {
        try
        {
            var route = context.Request.HttpMethod + " " + context.Request.Url.AbsolutePath;
            if (route == "POST /webhook") await receiver.RespondAsync(context);
            else if (route == "GET /sites") Write(context.Response, SitesAsJson());
            else Write(context.Response, "", 404);
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
        }
    }

    private static Task StoreAsync(SiteReady site)
    {
        // A late retry of what was corrected has a smaller delivery id, and is ignored.
        Sites.AddOrUpdate(
            site.SiteUrl, site, (_, stored) => string.CompareOrdinal(site.Delivery, stored.Delivery) < 0 ? stored : site);
        return Task.FromResult(0);
    }

    // Only for the tests of this example: do not publish your customers.
    private static string SitesAsJson()
    {
        var sites = Sites.Values.Select(site => "{\"site_url\":" + Quote(site.SiteUrl) + ",\"name\":" + Quote(site.Name) + "}");
        return "[" + string.Join(",", sites) + "]";
    }

    private static string Quote(string text)
    {
        var escaped = text.Select(c => c < ' ' || c == '"' || c == '\\' ? "\\u" + ((int)c).ToString("x4") : c.ToString());
        return "\"" + string.Concat(escaped) + "\"";
    }

    private static void Write(HttpListenerResponse response, string content, int status = 200)
    {
        response.StatusCode = status;
        response.ContentType = "application/json";
        response.Close(Encoding.UTF8.GetBytes(content), true);
    }
}
