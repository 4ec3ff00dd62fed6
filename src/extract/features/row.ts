/** A row of features that is filled from left to right. */
export interface Row {
  values: Float32Array;
  at: number;
  /** Collects the names of the features, if set. */
  names: string[] | undefined;
}

/** Writes the next feature of a row. Names are constants: a row is written for every block of every page. */
export const put = (row: Row, name: string, value: number): void => {
  row.values[row.at] = value;
  row.at += 1;
  if (row.names !== undefined) row.names.push(name);
};

/** One row of numbers per block; all rows have the same length. */
export interface FeatureTable {
  values: Float32Array;
  width: number;
  /** The names of the features that are written so far. */
  names: readonly string[];
}
