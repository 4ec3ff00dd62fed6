/** Limits of what is known about the addresses that callers choose. */
export const LEAK_LIMITS = {
  /** What a caller was shown and chose counts for this time. */
  windowMs: 86_400_000,
  listsMax: 200,
  listAddressesMax: 10_000,
  /** Of all lists of a caller; the oldest lists are dropped. */
  addressesMax: 50_000,
  approvalMs: 3_600_000,
  approvalsPerCallerMax: 20,
} as const;
