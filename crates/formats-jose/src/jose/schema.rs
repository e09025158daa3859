//! The statements that create jose's tables, in version 1008 of its schema.

/// Version of the schema that is written.
pub const VERSION: u32 = 1008;

/// The text after the columns of every table.
const OPTIONS: &str = "ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci";

/// Columns and keys of each table.
const TABLES: [(&str, &str); 8] = [
    (
        "MetaInfo",
        "`Property` varchar(64) NOT NULL,
  `SchemaName` varchar(255) DEFAULT NULL,
  `TableName` varchar(255) DEFAULT NULL,
  `Version` int(11) DEFAULT NULL,
  `Dirty` tinyint(4) DEFAULT NULL",
    ),
    (
        "Collection",
        "`Id` int(11) NOT NULL,
  `PId` int(11) DEFAULT NULL,
  `OPId` int(11) DEFAULT NULL,
  `Name` varchar(255) NOT NULL,
  `Path` varchar(255) DEFAULT NULL,
  `Attributes` tinyint(4) NOT NULL DEFAULT 0,
  `SourceURL` varchar(255) DEFAULT NULL,
  `LastModified` timestamp NOT NULL,
  `GameCount` int(11) NOT NULL DEFAULT 0,
  PRIMARY KEY (`Id`),
  KEY `PId` (`PId`),
  KEY `Name` (`Name`),
  KEY `Path` (`Path`),
  KEY `SourceURL` (`SourceURL`),
  KEY `LastModified` (`LastModified`)",
    ),
    (
        "Player",
        "`Id` int(11) NOT NULL,
  `Name` varchar(255) NOT NULL,
  `Soundex` char(6) NOT NULL DEFAULT '-',
  PRIMARY KEY (`Id`),
  KEY `Player_1` (`Name`,`Id`),
  KEY `Player_2` (`Soundex`,`Id`)",
    ),
    (
        "Event",
        "`Id` int(11) NOT NULL,
  `Name` varchar(255) NOT NULL,
  `Soundex` char(6) NOT NULL DEFAULT '-',
  PRIMARY KEY (`Id`),
  KEY `Event_1` (`Name`,`Id`),
  KEY `Event_2` (`Soundex`,`Id`)",
    ),
    (
        "Site",
        "`Id` int(11) NOT NULL,
  `Name` varchar(255) NOT NULL,
  `Soundex` char(6) NOT NULL DEFAULT '-',
  PRIMARY KEY (`Id`),
  KEY `Site_1` (`Name`,`Id`),
  KEY `Site_2` (`Soundex`,`Id`)",
    ),
    (
        "Opening",
        "`Id` int(11) NOT NULL,
  `HashKey` bigint(20) NOT NULL DEFAULT 0,
  `Ply` int(11) DEFAULT NULL,
  `ECO` char(3) NOT NULL DEFAULT '-',
  `Name` varchar(255) NOT NULL,
  `Soundex` char(6) NOT NULL DEFAULT '-',
  PRIMARY KEY (`Id`),
  KEY `Opening_1` (`HashKey`),
  KEY `Opening_2` (`ECO`),
  KEY `Opening_3` (`Name`,`Id`),
  KEY `Opening_4` (`Soundex`,`Id`)",
    ),
    (
        "Game",
        "`Id` int(11) NOT NULL,
  `CId` int(11) NOT NULL,
  `Idx` int(11) NOT NULL,
  `Attributes` smallint(6) NOT NULL DEFAULT 0,
  `OCId` int(11) DEFAULT NULL,
  `OIdx` int(11) DEFAULT NULL,
  `PlyCount` int(11) NOT NULL DEFAULT 0,
  `Result` tinyint(4) NOT NULL DEFAULT 0,
  `WhiteId` int(11) NOT NULL,
  `BlackId` int(11) NOT NULL,
  `WhiteELO` int(11) DEFAULT NULL,
  `BlackELO` int(11) DEFAULT NULL,
  `EventId` int(11) NOT NULL,
  `SiteId` int(11) NOT NULL,
  `GameDate` date DEFAULT NULL,
  `EventDate` date DEFAULT NULL,
  `DateFlags` smallint(6) NOT NULL DEFAULT 0,
  `OpeningId` int(11) NOT NULL,
  `ECO` char(3) DEFAULT NULL,
  `AnnotatorId` int(11) NOT NULL,
  PRIMARY KEY (`Id`),
  KEY `Idx` (`Idx`),
  KEY `WhiteId` (`WhiteId`),
  KEY `BlackId` (`BlackId`),
  KEY `EventId` (`EventId`),
  KEY `CId` (`CId`,`Idx`,`Id`)",
    ),
    (
        "MoreGame",
        "`GId` int(11) NOT NULL,
  `WhiteTitle` varchar(32) DEFAULT NULL,
  `BlackTitle` varchar(32) DEFAULT NULL,
  `Round` varchar(32) DEFAULT NULL,
  `Board` varchar(32) DEFAULT NULL,
  `FEN` varchar(128) DEFAULT NULL,
  `Info` varchar(255) DEFAULT NULL,
  `Bin` mediumblob DEFAULT NULL,
  `Comments` mediumtext DEFAULT NULL,
  `PosMain` mediumtext DEFAULT NULL,
  `PosVar` mediumtext DEFAULT NULL,
  `Eval` mediumblob DEFAULT NULL,
  PRIMARY KEY (`GId`),
  KEY `WhiteTitle` (`WhiteTitle`),
  KEY `Round` (`Round`),
  FULLTEXT KEY `Comments` (`Comments`)",
    ),
];

/// The statements that create the tables.
pub fn create_tables() -> impl Iterator<Item = String> {
    TABLES
        .iter()
        .map(|(table, columns)| format!("CREATE TABLE `{table}` (\n  {columns}\n) {OPTIONS}"))
}

/// The names of the tables.
pub fn table_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(table, _)| *table)
}

/// The columns of `MoreGame` that are written.
pub const MORE_COLUMNS: &str =
    "`GId`,`WhiteTitle`,`BlackTitle`,`Round`,`Board`,`FEN`,`Info`,`Bin`,`Comments`";
