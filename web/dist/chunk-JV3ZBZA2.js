var t={player:"stats.player",event:"column.event",opening:"about.opening",site:"column.site",annotator:"about.annotator"},e=o=>t[o];export{e as a};
