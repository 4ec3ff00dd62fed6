import { isPlainObject, type CallResult, type ContentBlock } from './tool.ts';

const RESULT_FIELDS = new Set(['content', 'isError', 'structuredContent', '_meta']);
/**
 * Fields that change the meaning of a result in some protocol revision; a tool's data must not do that by
 * accident.
 */
const FOREIGN_FIELDS = ['resultType', 'task', 'inputRequests', 'requestState'];

/**
 * True when a value already is an MCP result that every revision accepts. An object with a field named
 * `content` may be plain data: without a content block it may have only the fields of a result.
 */
export function isCallResult(value: unknown): value is CallResult {
  if (!isPlainObject(value)) return false;
  const { content, isError, structuredContent, _meta: meta } = value;
  if (FOREIGN_FIELDS.some((field) => Object.hasOwn(value, field))) return false;
  if (isError !== undefined && typeof isError !== 'boolean') return false;
  if (meta !== undefined && !isPlainObject(meta)) return false;
  if (structuredContent !== undefined && !isPlainObject(structuredContent)) return false;
  if (!Array.isArray(content) || !content.every(isContentBlock)) return false;
  return content.length > 0 || Object.keys(value).every((field) => RESULT_FIELDS.has(field));
}

/** True for a content block that every revision accepts. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isPlainObject(value)) return false;
  const { annotations, _meta: meta } = value;
  if (meta !== undefined && !isPlainObject(meta)) return false;
  if (annotations !== undefined && !areAnnotations(annotations)) return false;
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string';
    case 'image':
    case 'audio':
      return isBase64(value['data']) && typeof value['mimeType'] === 'string';
    case 'resource':
      return isResource(value['resource']);
    case 'resource_link':
      return isLink(value);
    default:
      return false;
  }
}

function isResource(value: unknown): boolean {
  if (!isPlainObject(value) || typeof value['uri'] !== 'string' || !isTextOrAbsent(value['mimeType']))
    return false;
  if (value['_meta'] !== undefined && !isPlainObject(value['_meta'])) return false;
  return typeof value['text'] === 'string' || isBase64(value['blob']);
}

function isLink(value: Record<string, unknown>): boolean {
  const { uri, name, title, description, mimeType, size, icons } = value;
  if (typeof uri !== 'string' || typeof name !== 'string') return false;
  if (icons !== undefined) return false;
  return (
    [title, description, mimeType].every(isTextOrAbsent) && (size === undefined || typeof size === 'number')
  );
}

function areAnnotations(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { audience, priority, lastModified } = value;
  const roles = audience === undefined || (Array.isArray(audience) && audience.every(isRole));
  const rank = priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1);
  return roles && rank && (lastModified === undefined || isInstant(lastModified));
}

const INSTANT =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const isRole = (value: unknown): boolean => value === 'user' || value === 'assistant';
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
const isBase64 = (value: unknown): boolean => typeof value === 'string' && BASE64.test(value);
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string';
