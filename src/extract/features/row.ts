/** A row of features that is filled from left to right. */
export interface Row {
  values: Float32Array;
  at: number;
}

export const put = (row: Row, value: number): void => {
  row.values[row.at] = value;
  row.at += 1;
};

/** One row of numbers per block; all rows have the same length. */
export interface FeatureTable {
  values: Float32Array;
  width: number;
}
