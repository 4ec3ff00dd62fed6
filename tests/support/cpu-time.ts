/**
 * Starts counting what this process computes. Unlike time on the wall it does not grow when other processes want the same cores.
 *
 * @example
 *   const cpuMs = countCpu();
 *   parse(hostile);
 *   expect(cpuMs()).toBeLessThan(1_000);
 */
export function countCpu(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}
