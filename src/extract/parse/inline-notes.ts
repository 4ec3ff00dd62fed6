import { type ElementNode, isText } from './nodes.ts';
import { readAttribute } from './attributes.ts';
import { NOTE_BEGIN, NOTE_END } from './block-text.ts';
import { addText, type Builder, closeParenthesis } from './gather-text.ts';

const NOTE = /(?:^|\s)(?:side-?note|margin-?note|ltx_note)(?:\s|$)/;
const TOGGLE = /(?:^|\s)(?:margin-toggle|(?:side|margin)-?note-(?:number|toggle)|footref)(?:\s|$)/;
const LATEX_MARK = /(?:^|\s)(?:ltx_note_mark|ltx_note_type|ltx_tag_note)(?:\s|$)/;

/**
 * Whether an element is a margin note that is inside a sentence in the source, as in Tufte CSS and LaTeXML.
 */
export function isInlineNote(tag: string, attributes: string[]): boolean {
  if (attributes.length === 0 || (tag !== 'span' && tag !== 'small')) return false;
  const names = readAttribute(attributes, 'class');
  return names !== undefined && names.includes('note') && NOTE.test(names);
}

/** Whether an element is the toggle of an inline note. */
export const isNoteToggle = (tag: string, attributes: string[]): boolean =>
  tag === 'label' && TOGGLE.test(readAttribute(attributes, 'class') ?? '');

/** Whether an element inside an inline note is only its number. */
export function isNoteNumber(tag: string, attributes: string[], parent: ElementNode): boolean {
  if (tag !== 'span' && tag !== 'sup') return false;
  const names = readAttribute(attributes, 'class') ?? '';
  if (LATEX_MARK.test(names)) return true;
  return parent.children.length === 1 && beginsNote(parent) && (tag === 'sup' || names.includes('number'));
}

export function beginsNote({ children }: ElementNode): boolean {
  const first = children[0];
  return first !== undefined && isText(first) && first.text === NOTE_BEGIN;
}

export function openNote(builder: Builder): void {
  addText(builder, NOTE_BEGIN);
  builder.notes += 1;
}

export function closeNote(builder: Builder, note: ElementNode): void {
  closeParenthesis(builder, note, NOTE_END);
  builder.notes -= 1;
}
