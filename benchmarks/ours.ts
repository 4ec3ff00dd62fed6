/** Whether a row of a table is Headgate's own. */
export const isOurs = (name: string): boolean => /^headgate|^gateway|group commit|batched/.test(name);
