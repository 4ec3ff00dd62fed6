export const root: string;
export function hashOf(files: string[]): string;
export function isBuilt(): boolean;
export function sourcesHash(): string;
