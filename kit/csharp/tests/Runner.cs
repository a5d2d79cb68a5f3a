using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;

namespace Sitewire.Tests
{
    /// <summary>
    /// Runs each public method of the classes …Tests. A method can return a Task, or named cases, of which each counts as a test.
    /// A case that is null is skipped.
    /// </summary>
    internal static class Runner
    {
        private static int passed, failed;

        private static int Main()
        {
            var classes = typeof(Runner).Assembly.GetTypes().Where(type => type.Name.EndsWith("Tests"));
            foreach (var type in classes)
            {
                var own = BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly;
                foreach (var method in type.GetMethods(own))
                    RunMethod(type.Name + "." + method.Name, Activator.CreateInstance(type), method);
            }
            Console.WriteLine((failed == 0 ? "" : failed + " failed, ") + passed + " passed");
            return failed == 0 && passed > 0 ? 0 : 1;
        }

        private static void RunMethod(string name, object instance, MethodInfo method)
        {
            if (method.ReturnType != typeof(Dictionary<string, Action>))
            {
                Run(name, () => (method.Invoke(instance, null) as Task)?.GetAwaiter().GetResult());
                return;
            }
            foreach (var one in (Dictionary<string, Action>)method.Invoke(instance, null)) Run(name + ": " + one.Key, one.Value);
        }

        private static void Run(string name, Action test)
        {
            if (test == null)
            {
                Console.WriteLine("SKIPPED " + name);
                return;
            }
            try
            {
                test();
                passed++;
            }
            catch (Exception error)
            {
                failed++;
                Console.WriteLine("FAILED " + name + "\n" + ((error as TargetInvocationException)?.InnerException ?? error));
            }
        }
    }

    internal static class Check
    {
        internal static void Equal<T>(T expected, T actual)
        {
            if (!EqualityComparer<T>.Default.Equals(expected, actual))
                throw new Exception("expected <" + expected + ">, but it was <" + actual + ">");
        }

        internal static T Throws<T>(Action action) where T : Exception
        {
            try
            {
                action();
            }
            catch (T error)
            {
                return error;
            }
            throw new Exception("expected " + typeof(T).Name + ", but nothing was thrown");
        }
    }
}
