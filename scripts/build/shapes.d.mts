export function withSharedShapes(code: string): string;
