import { expect, test } from 'vitest';
import { LIMITS } from '../../core/limits.ts';
import { htmlToMarkdown } from '../html.ts';
import { placeStreamed } from './streamed.ts';
import { countCpu } from '../../../tests/support/cpu-time.ts';

const place = (id: string, fallback = ''): string =>
  `<!--$?--><template id="${id}"></template>${fallback}<!--/$-->`;
const part = (id: string, body: string): string => `<div hidden id="${id}">${body}</div>`;
const move = (to: string, from: string): string => `<script>$RC("${to}","${from}")</script>`;

const DEFINED = '<script>$RB=[];$RC=function(a,b){x("<div>")};$RC("B:0","S:0")</script>';

test.each([
  ['stands in its place', `<p>a</p>${place('B:0')}<p>c</p>${part('S:0', '<p>b</p>')}${move('B:0', 'S:0')}`],
  [
    'takes the place of what waits for it',
    `<p>a</p>${place('B:0', '<p>Wait<!--$-->!<!--/$--> Please.</p>')}<p>c</p>${part('S:0', '<p>b</p>')}${move('B:0', 'S:0')}`,
  ],
  [
    'has elements like its own inside',
    `<p>a</p>${place('B:0')}<p>c</p>${part('S:0', '<div><div>b</div><!--<div>--></div><style>a:after{content:"<div>"}</style>')}${DEFINED}`,
  ],
  [
    'may hold the place of another',
    `${place('B:1')}<p>c</p>${part('S:1', `<p>a</p>${place('B:a', 'x')}`)}${move('B:1', 'S:1')}${part('S:a', '<p>b</p>')}${move('B:a', 'S:a')}`,
  ],
  [
    'gets what it lacks',
    `${place('B:0')}<p>c</p>${part('S:0', '<p>a</p><template id="P:1"></template>')}${part('S:1', '<p>b</p>')}<script>$RS("S:1","P:1")</script>${move('B:0', 'S:0')}`,
  ],
  [
    'is found by the name that the script has for it',
    `<p>a</p>${place(':r0:B:4')}<p>c</p>${part(':r0:S:7', '<p>b</p>')}${move(':r0:B:4', ':r0:S:7')}`,
  ],
  [
    'comes once',
    `<p>a</p>${place('B:0')}<p>c</p>${place('B:1')}${part('S:0', '<p>b</p>')}${move('B:0', 'S:0')}${move('B:1', 'S:0')}`,
  ],
])('a part that React sends late %s', (_, html) => {
  expect(htmlToMarkdown(html)).toBe('a\n\nb\n\nc');
});

test.each([
  ['no script moves it', `${place('B:0', 'a')}${part('S:0', 'b')}${move('B:1', 'S:1')}`],
  ['only a text says so', `${place('B:0', 'a')}${part('S:0', 'b')}<script></script><p>$RC("B:0","S:0")</p>`],
  [
    'its place has no end',
    `<!--$?--><template id="B:0"></template>a${part('S:0', 'b')}${move('B:0', 'S:0')}`,
  ],
  ['its place comes behind it', `${part('S:0', 'b')}${move('B:0', 'S:0')}${place('B:0', 'a')}`],
  ['its place is in itself', `${part('S:0', `b${place('B:0', 'a')}`)}${move('B:0', 'S:0')}`],
  ['it is torn', `${place('B:0', 'a')}${part('S:0', '</div>b<div>')}${move('B:0', 'S:0')}`],
  ['it has no end', `${place('B:0', 'a')}<div hidden id="S:0"><div>b</div>${move('B:0', 'S:0')}`],
  ['it is named otherwise', `${place('B:0', 'a')}${part('note', 'b')}${move('B:0', 'note')}`],
])('a part stays where it is when %s', (_, html) => {
  expect(placeStreamed(html)).toBe(html);
});

test.each([
  [
    'goes with what waited',
    `${place('B:0', `${place('B:1')}Wait!`)}<p>b</p>${part('S:0', '<p>a</p>')}${move('B:0', 'S:0')}${part('S:1', '<p>c</p>')}${move('B:1', 'S:1')}`,
  ],
  [
    'ends outside of the part that it is in',
    `${place('B:0')}<p>b</p>${part('S:0', '<p>a</p><!--$?--><template id="B:1"></template>')}${move('B:0', 'S:0')}<!--/$-->${part('S:1', '<p>c</p>')}${move('B:1', 'S:1')}`,
  ],
])('a part is read where it came when its place %s', (_, html) => {
  expect(htmlToMarkdown(html)).toBe('a\n\nb\n\nc');
});

test.each([
  [
    'parts in a chain',
    (index: number) =>
      `${part(`S:${index.toString(16)}`, place(`B:${(index + 1).toString(16)}`))}${move(`B:${index.toString(16)}`, `S:${index.toString(16)}`)}`,
  ],
  ['parts without an end', () => '<div hidden id="S:0">'],
  ['places without an end', () => '<!--$?--><template id="B:0"></template>'],
  ['comments without an end', () => '<!--'],
  ['scripts without an end', () => '<script>$RC("B:0","S:0"'],
  ['names without an end', () => '<div hidden id="S:S:S:S:S:'],
])('many %s take little time', (_, write) => {
  const html = `${place('B:0')}${Array.from({ length: 50_000 }, (__, index) => write(index)).join('')}<script>$RC("B:0","S:0")</script>`;
  const cpuMs = countCpu();
  placeStreamed(html);
  expect(cpuMs()).toBeLessThan(LIMITS.extractTimeoutMs);
});
