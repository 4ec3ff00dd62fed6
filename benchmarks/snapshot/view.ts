import { numberIn, shown, type Figures, type View } from '../view.ts';

export function snapshot(figures: Figures): View {
  const of = (name: string): string => shown(numberIn(figures, name));
  return {
    title: 'A recorded web, asked in other words',
    note: `SciFact as ${of('pages')} pages of a snapshot, and ${of('queries')} of its claims as questions that nobody recorded: the halves of each swapped, inside a question. The library has the same documents as plain text and the same questions. Nothing is sent.`,
    head: ['measure', 'figure'],
    rows: [
      ['nDCG@10 of the library', of('ndcg_library')],
      ['nDCG@10 of the replayed snapshot', of('ndcg_snapshot')],
      ['the snapshot, of the library', of('ratio')],
      ['questions without an answer', of('unanswered')],
    ],
    plot: {
      title: 'A recorded web, asked in other words',
      caption: 'nDCG@10, longer is better',
      bars: [
        {
          label: 'library',
          value: numberIn(figures, 'ndcg_library'),
          text: of('ndcg_library'),
          isOurs: true,
        },
        {
          label: 'snapshot',
          value: numberIn(figures, 'ndcg_snapshot'),
          text: of('ndcg_snapshot'),
          isOurs: true,
        },
      ],
    },
  };
}
