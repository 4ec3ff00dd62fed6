import { isOurs } from './ours.ts';
import { type Figures, numberIn, rowsIn, shown, textIn, type View } from './view.ts';

// How good answers are, and what they cost: one function per benchmark, from its figures to a table and a plot.

export function extraction(figures: Figures): View {
  const pages = numberIn(figures, 'pages');
  const rows = rowsIn(figures, 'extraction');
  const perPage = (row: Figures): number => numberIn(row, 'cpuMs') / pages;
  return {
    title: 'Extraction',
    note: `${pages} pages of WCXB's development set; processor time after a warm-up on other pages. Headgate's model has seen these pages, so its quality here is flattered; cross-validated by host it is in benchmarks/extraction/README.md.`,
    head: ['extractor', 'word F1', 'articles, shingle F1', 'passages F1', 'CPU ms per page'],
    rows: rows.map((row) => [
      textIn(row, 'name'),
      ...['wordF1', 'shingleF1', 'segmentF1'].map((name) => numberIn(row, name).toFixed(3)),
      shown(perPage(row)),
    ]),
    plot: {
      title: 'Reading a page',
      caption: 'CPU ms per page, shorter is better; word F1 beside it',
      isLogarithmic: true,
      bars: rows.map((row) => ({
        label: textIn(row, 'name'),
        value: perPage(row),
        text: `${shown(perPage(row))} ms, F1 ${numberIn(row, 'wordF1').toFixed(3)}`,
        isOurs: isOurs(textIn(row, 'name')),
      })),
    },
  };
}

export function ranking(figures: Figures): View {
  const sets = rowsIn(figures, 'sets');
  const mean = figures['mean'] as Figures;
  const columns = ['poolPlain', 'poolOurs', 'corpusPlain', 'corpusOurs'];
  return {
    title: 'Ranking',
    note: 'nDCG@10 beside plain BM25. *Pool*: the 50 passages that a search returned are ranked again, as the product does. *Corpus*: all passages of a set.',
    head: ['set', 'pool, BM25', 'pool, Headgate', 'corpus, BM25', 'corpus, Headgate', 'CPU ms per query'],
    rows: [
      ...sets.map((row) => [
        textIn(row, 'set'),
        ...columns.map((name) => numberIn(row, name).toFixed(3)),
        shown(numberIn(row, 'cpuMsPerQuery')),
      ]),
      ['**mean**', ...columns.map((name) => numberIn(mean, name).toFixed(3)), ''],
    ],
    plot: {
      title: 'Ranking the passages of a search',
      caption: 'nDCG@10, mean of the sets, longer is better',
      bars: [
        ['pool, plain BM25', 'poolPlain'],
        ['pool, Headgate', 'poolOurs'],
        ['corpus, plain BM25', 'corpusPlain'],
        ['corpus, Headgate', 'corpusOurs'],
      ].map(([label = '', name = '']) => ({
        label,
        value: numberIn(mean, name),
        text: numberIn(mean, name).toFixed(3),
        isOurs: name.endsWith('Ours'),
      })),
    },
  };
}

export function passages(figures: Figures): View {
  const budgets = figures['budgets'] as number[];
  const sharesIn = (row: Figures, name: string): number[] => row[name] as number[];
  const mean = figures['mean'] as Figures;
  const cells = (row: Figures): string[] =>
    ['ours', 'windows', 'first'].map((name) =>
      sharesIn(row, name)
        .map((share) => share.toFixed(2))
        .join(' / '),
    );
  return {
    title: 'Passages',
    note: `How often the answer is inside ${budgets.join(' / ')} tokens when a page of four articles is read with a question. *Windows*: plain BM25 over windows of 200 tokens. *First*: the beginning of the page.`,
    head: ['language', 'Headgate', 'BM25 windows', 'first tokens'],
    rows: [
      ...rowsIn(figures, 'languages').map((row) => [textIn(row, 'language'), ...cells(row)]),
      ['**mean**', ...cells(mean)],
    ],
    plot: {
      title: 'The answer inside a budget',
      caption: 'share of questions, mean of the languages, longer is better',
      bars: budgets.flatMap((budget, at) =>
        [
          ['Headgate', 'ours'],
          ['BM25 windows', 'windows'],
        ].map(([label = '', name = '']) => ({
          label: `${budget} tokens, ${label}`,
          value: sharesIn(mean, name)[at] ?? 0,
          text: (sharesIn(mean, name)[at] ?? 0).toFixed(2),
          isOurs: name === 'ours',
        })),
      ),
    },
  };
}

export function answers(figures: Figures): View {
  const names = ['gold', 'first', 'firm', 'near', 'noise'];
  const cells = (row: Figures): string[] => names.map((name) => numberIn(row, name).toFixed(2));
  return {
    title: 'Answers without a model',
    note: 'Answers quoted from five results. *Gold*: the answer is in the quotes when a result has it; *first*: in the first quote; *firm*: not marked as a weak match. *Near*: rejected or marked when the results are of the same article and do not have the answer; *noise*: when they are of others.',
    head: ['language', 'gold', 'first', 'firm', 'near', 'noise'],
    rows: [
      ...rowsIn(figures, 'languages').map((row) => [textIn(row, 'language'), ...cells(row)]),
      ['**mean**', ...cells(figures['mean'] as Figures)],
    ],
    plot: {
      title: 'Answers without a model',
      caption: 'share of questions, mean of the languages, longer is better',
      bars: names.map((name) => {
        const value = numberIn(figures['mean'] as Figures, name);
        return { label: name, value, text: value.toFixed(2), isOurs: true };
      }),
    },
  };
}

export function library(figures: Figures): View {
  const speed = rowsIn(figures, 'speed');
  const quality = rowsIn(figures, 'quality');
  const meanOf = (engine: string): string => {
    const found = quality.find((row) => textIn(row, 'engine') === engine);
    const scores = Object.values(found ?? {}).filter((value) => typeof value === 'number');
    return scores.length === 0
      ? ''
      : (scores.reduce((sum, score) => sum + score, 0) / scores.length).toFixed(3);
  };
  const columns = [
    'documents',
    'documentsPerCpuSecond',
    'cpuMsP50',
    'cpuMsP99',
    'megabytesOnDisk',
    'megabytesResident',
  ];
  const most = Math.max(...speed.map((row) => numberIn(row, 'documents')));
  const largest = speed.filter((row) => numberIn(row, 'documents') === most);
  return {
    title: 'Library',
    note: 'Ours is durable and returns snippets; minisearch keeps everything in memory, and both others return ids only.',
    head: [
      'engine',
      'nDCG@10, mean',
      'documents',
      'built per CPU s',
      'query p50, CPU ms',
      'query p99, CPU ms',
      'MB on disk',
      'MB resident',
    ],
    rows: speed.map((row) => [
      textIn(row, 'engine'),
      meanOf(textIn(row, 'engine')),
      ...columns.map((name) => shown(numberIn(row, name))),
    ]),
    plot: {
      title: 'Asking the library',
      caption: `CPU ms per query over ${shown(most)} documents, median, shorter is better`,
      isLogarithmic: true,
      bars: largest.map((row) => ({
        label: textIn(row, 'engine'),
        value: numberIn(row, 'cpuMsP50'),
        text: `${shown(numberIn(row, 'cpuMsP50'))} ms, nDCG ${meanOf(textIn(row, 'engine'))}`,
        isOurs: isOurs(textIn(row, 'engine')),
      })),
    },
  };
}

export function contradictions(figures: Figures): View {
  const percent = (name: string): number => Math.round(numberIn(figures, name) * 1_000) / 10;
  const count = (name: string): string => String(numberIn(figures, name));
  const bars = [
    ['agreements found', 'agreementsFound'],
    ['contradictions found', 'contradictionsFound'],
    ['contradictions claimed falsely', 'contradictionsClaimedFalsely'],
  ];
  return {
    title: 'Contradictions',
    note: `${count('groups')} groups of pages in English, German, Spanish, Japanese and Chinese: ${count('agreeingGroups')} in which pages say the same, ${count('contraryGroups')} in which they contradict each other, ${count('otherGroups')} in which they speak of different things or copy each other. A report without a model is written about each. We wrote the groups ourselves (benchmarks/research/README.md).`,
    head: ['', ''],
    rows: [
      ['agreements claimed falsely, groups', count('agreementsClaimedFalsely')],
      ...bars.map(([label = '', name = '']) => [`${label}, % of groups`, String(percent(name))]),
    ],
    plot: {
      title: 'What a report says of several sources',
      caption: '% of groups',
      bars: bars.map(([label = '', name = '']) => ({
        label,
        value: percent(name),
        text: `${percent(name)} %`,
        isOurs: true,
      })),
    },
  };
}

export function topics(figures: Figures): View {
  const engines = (figures['feb4rag'] ?? {}) as Figures;
  const languages = Object.entries(figures['by_language'] as Record<string, number>);
  return {
    title: 'What a query is about',
    note: `Of ${shown(numberIn(figures, 'queries'))} labelled queries in four languages. Read the first two rows as optimistic: three quarters of the queries were written by the author of lists that the weights were trained on, and the mix of the training was chosen by these figures. The bias towards general search is such that 96 % of the general queries are recognised in sources of the training that were held out; that aim was set after a look at these figures. The rows of others are sets that other people published, in English, none of them trained on; the same choices saw them too. One query takes ${shown(numberIn(figures, 'cpu_us_per_query'))} µs of processor time; the weights have ${shown(numberIn(figures, 'weights_bytes'))} bytes.`,
    head: ['measure', 'figure'],
    rows: [
      ['macro-F1 of eight intents', shown(numberIn(figures, 'macro_f1'))],
      ['recall of general queries', shown(numberIn(figures, 'general_recall'))],
      ['macro-F1, sets of others (four intents)', shown(numberIn(figures, 'macro_f1_others'))],
      ['recall of general queries, sets of others', shown(numberIn(figures, 'general_recall_others'))],
      ...languages.map(([language, f1]) => [`macro-F1, ${language}`, shown(f1)]),
      ['FeB4RAG, five folds: nDCG@10 of 16 engines', shown(numberIn(engines, 'ndcg_at_10'))],
      [
        'FeB4RAG: gain of the best of three engines, of the best of all',
        shown(numberIn(engines, 'best_engine_of_three')),
      ],
      [
        'FeB4RAG: gain of the fused results of three engines, of those of all 16',
        shown(numberIn(engines, 'fused_gain_of_three')),
      ],
    ],
    plot: {
      title: 'What a query is about',
      caption: 'macro-F1 by language, longer is better',
      bars: languages.map(([language, f1]) => ({
        label: language,
        value: f1,
        text: shown(f1),
        isOurs: true,
      })),
    },
  };
}
