import type { Gate } from '../core/gate.ts';

interface Pictured {
  images?: unknown;
}

/** An answer without pictures on domains that the rules refuse; addresses of pages are left out where they are found. */
export function handedOver<Output>(output: Output, gate: Gate | undefined): Output {
  if (gate === undefined || typeof output !== 'object' || output === null) return output;
  const { results } = output as { results?: unknown };
  const clean = withoutDeniedImages(output, gate);
  return Array.isArray(results)
    ? { ...clean, results: results.map((result: unknown) => withoutDeniedImages(result as object, gate)) }
    : clean;
}

function withoutDeniedImages<Row extends Pictured>(row: Row, gate: Gate): Row {
  if (typeof row !== 'object' || !Array.isArray(row.images) || row.images.length === 0) return row;
  const images = row.images.filter((image: string | { url: string }) => {
    const url = URL.parse(typeof image === 'string' ? image : image.url);
    return url === null || gate.allows({ kind: 'result', url });
  });
  return { ...row, images };
}
