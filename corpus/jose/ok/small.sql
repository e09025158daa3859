-- Dump of chess games in the tables of jose; the line "Dump completed" ends it.
-- Load it into a database without such tables: mysql --default-character-set=utf8 jose < dump.sql

/*!40101 SET NAMES utf8mb3 */;
/*!40101 SET SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;

CREATE TABLE `MetaInfo` (
  `Property` varchar(64) NOT NULL,
  `SchemaName` varchar(255) DEFAULT NULL,
  `TableName` varchar(255) DEFAULT NULL,
  `Version` int(11) DEFAULT NULL,
  `Dirty` tinyint(4) DEFAULT NULL
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
CREATE TABLE `Collection` (
  `Id` int(11) NOT NULL,
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
  KEY `LastModified` (`LastModified`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
CREATE TABLE `Player` (
  `Id` int(11) NOT NULL,
  `Name` varchar(255) NOT NULL,
  `Soundex` char(6) NOT NULL DEFAULT '-',
  PRIMARY KEY (`Id`),
  KEY `Player_1` (`Name`,`Id`),
  KEY `Player_2` (`Soundex`,`Id`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
CREATE TABLE `Event` (
  `Id` int(11) NOT NULL,
  `Name` varchar(255) NOT NULL,
  `Soundex` char(6) NOT NULL DEFAULT '-',
  PRIMARY KEY (`Id`),
  KEY `Event_1` (`Name`,`Id`),
  KEY `Event_2` (`Soundex`,`Id`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
CREATE TABLE `Site` (
  `Id` int(11) NOT NULL,
  `Name` varchar(255) NOT NULL,
  `Soundex` char(6) NOT NULL DEFAULT '-',
  PRIMARY KEY (`Id`),
  KEY `Site_1` (`Name`,`Id`),
  KEY `Site_2` (`Soundex`,`Id`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
CREATE TABLE `Opening` (
  `Id` int(11) NOT NULL,
  `HashKey` bigint(20) NOT NULL DEFAULT 0,
  `Ply` int(11) DEFAULT NULL,
  `ECO` char(3) NOT NULL DEFAULT '-',
  `Name` varchar(255) NOT NULL,
  `Soundex` char(6) NOT NULL DEFAULT '-',
  PRIMARY KEY (`Id`),
  KEY `Opening_1` (`HashKey`),
  KEY `Opening_2` (`ECO`),
  KEY `Opening_3` (`Name`,`Id`),
  KEY `Opening_4` (`Soundex`,`Id`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
CREATE TABLE `Game` (
  `Id` int(11) NOT NULL,
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
  KEY `CId` (`CId`,`Idx`,`Id`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
CREATE TABLE `MoreGame` (
  `GId` int(11) NOT NULL,
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
  FULLTEXT KEY `Comments` (`Comments`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci;
INSERT INTO `Game` VALUES
(1001,1001,1,3,NULL,NULL,9,2,1001,1002,2700,1999,1001,1001,'2001-02-01','2001-01-01',12304,1001,'C50',1001),
(1002,3,1,0,1001,2,1,-1,0,0,NULL,NULL,0,0,NULL,NULL,112,0,NULL,0),
(1003,1001,3,8,NULL,NULL,6,0,1003,1004,NULL,NULL,1002,0,'1999-12-31',NULL,0,0,NULL,0),
(1004,1001,4,0,NULL,NULL,6,1,1003,1002,NULL,NULL,1003,0,'1999-12-30',NULL,0,0,NULL,0),
(1005,1001,5,0,NULL,NULL,13,-1,1004,1003,NULL,NULL,1004,0,'2010-06-01',NULL,0,0,NULL,0),
(1006,1001,6,3,NULL,NULL,5,0,1004,1003,NULL,NULL,1005,0,'2011-01-02',NULL,0,0,NULL,0);
INSERT INTO `MoreGame` (`GId`,`WhiteTitle`,`BlackTitle`,`Round`,`Board`,`FEN`,`Info`,`Bin`,`Comments`) VALUES
(1001,'GM',NULL,'1','3',NULL,'Remark=x;y;TimeControl=40/7200:3600',0xE013B1B0FFE0F00FE00FF0170BF1F1132E224BBE44982B0CD2FF,0x206265666F7265205C202720222000EDA0B4EDB49E203130302520D091D0BED182D0B2D0B8D0BDD0BDD0B8D0BA0000),
(1002,NULL,NULL,NULL,NULL,NULL,NULL,0x13D3FF,NULL),
(1003,NULL,NULL,'2',NULL,'rkbqnrbn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNRBN w FAfa - 0 1','Variant=Chess960',0x08082E2B2722D0FF,NULL),
(1004,NULL,NULL,'3',NULL,'4k3/P1P5/8/8/8/8/8/4K2q w - - 0 1',NULL,0x9388A02387A1238AD1FF,NULL),
(1005,NULL,NULL,'4',NULL,'4k3/PPP5/8/8/8/8/ppp5/4K3 b - - 0 1',NULL,0xA220A22292A021A12293AA2696A023A12093A82BA92BD3FF,NULL),
(1006,NULL,NULL,'5',NULL,NULL,NULL,0x13F00F0F0BF113B000B0202EE02B27D0FF,'A rather long comment with several words, so that the row is not as short as the others are.\0');
INSERT INTO `Player` VALUES
(0,'-','-'),
(1001,'Naïve, Łódź 象棋','-'),
(1002,'Black, B.','-'),
(1003,'A','-'),
(1004,'B','-');
INSERT INTO `Event` VALUES
(0,'-','-'),
(1001,'Club O\'Hara, "cup" \\ 1','-'),
(1002,'Chess960','-'),
(1003,'Promotions','-'),
(1004,'Underpromotions','-'),
(1005,'Result inside','-');
INSERT INTO `Site` VALUES
(0,'-','-'),
(1001,'München','-');
INSERT INTO `Opening` VALUES
(0,0,0,'-','-','-'),
(1001,0,NULL,'-','Italian','-');
INSERT INTO `Collection` VALUES
(1,NULL,NULL,'collection.clipboard',':/1/',16,'-','2000-01-01 00:00:00',0),
(2,NULL,NULL,'collection.autosave',':/2/',16,'-','2000-01-01 00:00:00',0),
(3,NULL,NULL,'collection.trash',':/3/',16,'-','2000-01-01 00:00:00',1),
(1001,NULL,NULL,'small',':/1001/',8,NULL,'2000-01-01 00:00:00',5);
INSERT INTO `MetaInfo` VALUES
('SCHEMA_VERSION','MAIN',NULL,1008,NULL),
('SCHEMA_VERSION','META',NULL,1001,NULL),
('TABLE_VERSION','MAIN','Game',102,0),
('TABLE_VERSION','MAIN','MoreGame',102,0);
-- Dump completed
