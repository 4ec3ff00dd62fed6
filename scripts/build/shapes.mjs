/**
 * `{...a, b}` is the slowest way to make an object on Node 20: V8 copies `a` together with a shape that nothing else may share, so each object
 * that is made has shapes of its own, and whatever reads it looks its properties up anew. One that begins as an empty object takes the usual
 * shapes: `{...null, ...a, b}` says the same and takes a tenth of the time. `{...a}` alone is fast.
 */
export const withSharedShapes = (code) => code.replaceAll(/\{\.\.\.(?=[\w$(])(?![\w$.]+\})/g, '{...null,...');
